"""Read Jupyter notebooks as the programs that they are, and know where each line of those stands.

All code cells, in order, make one program. What looks at programs needs to know nothing of cells: a `Notebook` turns
places of the program into places of the cell and of the file, and edits of the program into edits of the file's JSON.

Nothing is imported here: who only wants to know whether a file is a notebook does not wait for the rest.
"""
