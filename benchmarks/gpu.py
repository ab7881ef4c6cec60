"""Compare a GPU with one thread of the CPU: trees, speed, and what training on the GPU waits for.

The first part parses the second file with a trained pipeline on both, from gold tokens, and prints
how many trees differ and the words per second of wall-clock time, the median of five runs after a
warm-up run. The second part trains the same pipeline further on both, and prints the time of an
update. The third part profiles updates on the GPU. It prints the lines of code at which torch waits
until the GPU has finished (CuPy, which computes the losses of taggers, waits as well, but does not
report it), the share of the time in which the GPU computes, and the most expensive operations.

    python benchmarks/gpu.py training/gothic/model-last got-ud-train.conllu got-ud-dev.conllu
"""

import argparse
import time
import warnings
from collections import Counter
from pathlib import Path
from statistics import median

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import fix_random_seed, set_gpu_allocator
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile
from updates import Updates

from spacy_npparse.treebank import read_conllu, unannotated_doc

RUNS = 5
UPDATES = 40
WARM_UP = 20
PROFILED = 10


def main() -> None:
    """Print the figures of both devices."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    found = {}
    for device in ("cpu", "gpu"):
        if device == "gpu":
            spacy.require_gpu()
            set_gpu_allocator("pytorch")
        nlp = spacy.load(arguments.model)
        found[device] = report_parsing(device, nlp, arguments)
        nlp.config["paths"].update(train=str(arguments.train), dev=str(arguments.train))
        fix_random_seed(0)
        training = Updates(nlp)
        print(f"{device}: {milliseconds(training):.1f} ms per update")
    report_differences(found["cpu"], found["gpu"])
    report_waiting(training)
    report_share(training)


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="trained pipeline")
    parser.add_argument("train", type=Path, help="CoNLL-U file to train on")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument("--batch-size", type=int, help="sentences in a batch")
    return parser.parse_args()


def report_parsing(device: str, nlp: Language, arguments: argparse.Namespace) -> list[Doc]:
    """Parse, print words per second, and return the Docs."""
    sentences = list(read_conllu(arguments.gold))
    rates = []
    for _ in range(RUNS + 1):
        docs = [unannotated_doc([one], nlp.vocab) for one in sentences]
        start = time.perf_counter()
        parsed = list(nlp.pipe(docs, batch_size=arguments.batch_size))
        rates.append(sum(map(len, parsed)) / (time.perf_counter() - start))
    print(f"{device}: {median(rates[1:]):,.0f} words per second, all components")
    return parsed


def report_differences(docs: list[Doc], others: list[Doc]) -> None:
    """Print how many trees and tags of two parses of the same sentences differ."""
    pairs = list(zip(docs, others, strict=True))
    arcs, columns = ["HEAD", "DEP"], ["TAG", "POS", "MORPH", "LEMMA"]
    trees = sum((a.to_array(arcs) != b.to_array(arcs)).any() for a, b in pairs)
    words = sum((a.to_array(columns) != b.to_array(columns)).any(axis=1).sum() for a, b in pairs)
    print(f"different: {trees} of {len(pairs)} trees; tags or lemmas of {words} words")


def milliseconds(training: Updates) -> float:
    """Measure the wall-clock time of an update, the median of several after a warm-up."""
    spent = []
    for _ in range(WARM_UP + UPDATES):
        start = time.perf_counter()
        training.update(training.batch())
        torch.cuda.synchronize()
        spent.append(1e3 * (time.perf_counter() - start))
    return median(spent[WARM_UP:])


def report_waiting(training: Updates) -> None:
    """Print the lines of code at which the CPU waits for the GPU, and how often in an update."""
    places: Counter[str] = Counter()
    torch.cuda.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(PROFILED):
            training.update(training.batch())
    torch.cuda.set_sync_debug_mode("default")
    for one in caught:
        if "synchronizing CUDA operation" in str(one.message):
            places[f"{'/'.join(Path(one.filename).parts[-3:])}:{one.lineno}"] += 1
    print(f"torch waits for the GPU {places.total() / PROFILED:.1f} times per update:")
    for place, times in places.most_common():
        print(f"{times / PROFILED:8.1f} {place}")


def report_share(training: Updates) -> None:
    """Print the share of the time in which the GPU computes, and its most expensive kernels."""
    batches = [training.batch() for _ in range(PROFILED)]
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities, acc_events=True) as profiler:
        start = time.perf_counter()
        for batch in batches:
            training.update(batch)
        torch.cuda.synchronize()
        spent = time.perf_counter() - start
    averages = profiler.key_averages()
    kernels = [one for one in averages if one.device_type == DeviceType.CUDA]
    busy = sum(one.self_device_time_total for one in kernels) / 1e6
    print(f"the GPU computes in {100 * busy / spent:.0f} % of the time (profiled)")
    print(averages.table(sort_by="self_cuda_time_total", row_limit=12, max_name_column_width=60))
    print(averages.table(sort_by="self_cpu_time_total", row_limit=12, max_name_column_width=60))


if __name__ == "__main__":
    main()
