"""`moss completion`: a script that lets a shell complete commands and options."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that lets your shell complete commands and options.

    \b
        moss completion bash >> ~/.bashrc
        moss completion zsh >> ~/.zshrc
        moss completion fish > ~/.config/fish/completions/moss.fish
    """
    from click.shell_completion import get_completion_class

    from moss.cli import main

    made = get_completion_class(shell)
    assert made is not None, shell
    click.echo(made(main, {}, "moss", "_MOSS_COMPLETE").source())
