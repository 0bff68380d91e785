"""Evaluation of files of samples: read them, judge them, count, report. ``code-judge eval`` is its command.

Formats are in ``adapters``, one module each.
"""

from ._html_report import html_report
from ._judged import Judged
from ._judging import judge_samples
from ._pass_at_k import mean_pass_at_k, pass_at_k
from ._reading import SamplesFileError, read_samples
from ._results_file import ResultsFile, ResultsFileError, still_to_judge
from ._sample import Sample, SampleError
from ._summary import Flagged, Summary, summarise
from .adapters import ADAPTERS

__all__ = [
    "ADAPTERS",
    "Flagged",
    "Judged",
    "ResultsFile",
    "ResultsFileError",
    "Sample",
    "SampleError",
    "SamplesFileError",
    "Summary",
    "html_report",
    "judge_samples",
    "mean_pass_at_k",
    "pass_at_k",
    "read_samples",
    "still_to_judge",
    "summarise",
]
