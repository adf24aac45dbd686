# a web server
variable "size" {
  type    = string
  default = "small"
}

resource "aws_instance" "web" {
  count         = 2
  instance_type = var.size
  ami           = "ami-123"

  tags = {
    Open = true
    Name = "web-${count.index + 1}"
  }
}

output "address" {
  value = var.size == "small" ? 1 : 0
}
