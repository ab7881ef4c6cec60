from spacy_npparse.transitions.system import KernelSystem

class ConfigurationPool:
    def __init__(self, system: KernelSystem) -> None: ...
