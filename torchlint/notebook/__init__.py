"""Read Jupyter notebooks as programs, with the position of each of their lines.

All code cells, in order, make one program. What analyses programs needs to know nothing of cells: a `Notebook` converts
positions in the program to positions in the cell and in the file, and edits of the program to edits of the file's JSON.

Nothing is imported here: to tell whether a file is a notebook does not load the rest.
"""
