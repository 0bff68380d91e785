"""The sandbox: runs one untrusted program at a time per slot, behind walls, from warm interpreters.

Theory of operation::

    manager (threads)                 trusted, holds the secrets; one thread per run
       │ ▲ slot sockets                 sends a run (limits, descriptors), drains its streams itself
       ▼ │
    launcher                          started fresh, no secrets; builds the root, keeps the templates
       └── template (one per import set)   an interpreter that stopped inside ``import site``
             └── slot (pid 1 of its own namespaces)   a fork of the template, kept between runs
                   └── the run          a fork of the slot: returns from ``import site`` and lets
                                        CPython itself run main.py, or executes another program

Three rules keep the program from learning or touching anything:

* What a slot has read, its next child could find in memory. So slots read no source, no input and no
  output: those travel in descriptors from the manager to the run and back.
* The run's process drops every right before it writes even its own source file.
* A slot proves itself clean after each run (nothing alive, nothing mounted, nothing queued) or ends.

The modules of this package that run inside templates need nothing but the standard library of
CPython 3.9 or newer: ``wire``, ``syscalls``, ``seccomp``, ``landlock``, ``template``, ``slot``,
``child``, ``stopwatch``, ``farewell`` and ``boot/sitecustomize.py``.
"""
