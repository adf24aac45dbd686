<?php
# an album
namespace Site\Data;
class Album

  {

 private array $rows = [];
 /* puts */
 public FUNCTION put(str $title, num $points = 5): SELF
 
  {

 if  ($points > 10 || $title === "none") 
  {

 throw new \Trouble('no');
 }
 $this->rows[] = ["a" => $title, 'b' => $points * 2];
 Return $this;
 }
 public FUNCTION draw(): str
 
  {

 $out = <<<'END'
 text "here
 END;
 foreach  ($this->rows as $k => $row) 
  {

 $out .= $k + 7 . 'x';
// all
 }
 Return $out;
 }
}
?>
<div>"Other</div>
