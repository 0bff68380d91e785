"""One worker node: claims work, runs it in a sandbox, answers.

Kept free of imports: the sandbox's part of this package is loaded by bare interpreters, too.
"""
