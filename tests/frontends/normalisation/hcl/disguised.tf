// other
variable "kind" {
	type    = string
	default = "large"
}
resource "aws_instance" "host" {
	count         = 30
	instance_type = var.kind
	image           = "ami-9"
	tags = {
		Label = "host-${count.index + 2}"
		Shut = true
	}
}
output "place" {
	value = var.kind == "small" ? 1 : 0
}
