"""Tests that compare probabilities with how often the predictions are right."""

import numpy as np
import pytest

from spacy_npparse.evaluation.reliability import CalibrationComparison, reliability


def test_bins_are_those_of_equal_width():
    probabilities = np.array([0.0, 0.1, 0.5, 0.51, 0.6, 1.0])
    found = reliability(probabilities, np.array([0, 1, 0, 1, 1, 1]), n_bins=2)
    assert [one.count for one in found.bins] == [3, 3]
    assert [one.probability for one in found.bins] == pytest.approx([0.2, 2.11 / 3])
    assert [one.accuracy for one in found.bins] == pytest.approx([1 / 3, 1.0])
    error = (abs(0.2 - 1 / 3) + abs(2.11 / 3 - 1.0)) / 2
    assert found.expected_calibration_error == pytest.approx(error)
    assert found.count == 6 and found.accuracy == pytest.approx(4 / 6)
    assert found.probability == pytest.approx(probabilities.mean())


def test_what_comes_true_as_often_as_it_is_held_probable_is_calibrated():
    rng = np.random.default_rng(0)
    probabilities = rng.uniform(size=200_000)
    right = rng.uniform(size=len(probabilities)) < probabilities
    assert reliability(probabilities, right).expected_calibration_error < 0.01
    assert reliability(probabilities**2, right).expected_calibration_error > 0.1


def test_log_loss():
    found = reliability(np.array([0.8, 0.3]), np.array([True, False]))
    assert found.log_loss == pytest.approx(-(np.log(0.8) + np.log(0.7)) / 2)
    sure = reliability(np.array([1.0, 0.0]), np.array([False, True]))
    assert sure.log_loss == pytest.approx(-np.log(1e-6))


def test_table():
    one = reliability(np.array([0.9, 0.8]), np.array([1, 1]))
    other = reliability(np.array([1.0, 1.0]), np.array([1, 1]))
    found = CalibrationComparison({"heads": (1.0, 0.25)}, {"heads": (one, other)})
    lines = [[cell.strip() for cell in line.split("|")] for line in found.table().splitlines()]
    assert lines[2] == ["heads", "2", "100.00", "before", "85.00", "15.00", "0.1643"]
    assert lines[3] == ["heads", "2", "100.00", "after", "100.00", "0.00", "0.0000"]
    assert lines[-1] == ["Temperature of heads: 1.000 before, 0.250 after"]
    data = found.as_dict()
    assert data["temperatures"] == {"heads": {"before": 1.0, "after": 0.25}}
    assert data["predictions"]["heads"]["after"]["expected_calibration_error"] == 0.0
