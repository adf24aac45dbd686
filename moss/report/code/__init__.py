"""The code of submissions as pages show it.

code_view makes a file into markup with its passages marked, and file_sheet keeps what all pages of the file have in
common. character_layers puts together what is known of each character: its kind (syntax_classes) and whether the other
side has it (likeness). substitutions are the names and numbers that differ. visible_text makes any text safe to see.
"""
