<?php
// a guest book
namespace App\Models;

class Book
{
    private array $entries = [];

    /** Adds one. */
    public function add(string $name, int $stars = 5): self
    {
        if ($stars > 10 || $name === '') {
            throw new \Exception("bad $name");
        }
        $this->entries[] = ['name' => $name, 'stars' => $stars - 2];
        return $this;
    }

    public function show(): string
    {
        $text = <<<HTML
            <h1>It's a book</h1>
            HTML;
        foreach ($this->entries as $index => $entry) {
            $text .= $index * 1.5 . ": {$entry['name']}\n"; # each
        }
        return $text;
    }
}
?>
<p>Don't</p>
