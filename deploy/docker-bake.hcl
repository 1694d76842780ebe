# Builds all images at once, with their list of packages and their provenance attached:
#
#   REGISTRY=registry.example.com/pinkas/ docker buildx bake -f deploy/docker-bake.hcl --push
variable "REGISTRY" { default = "" }
variable "TAG" { default = "0.3.0" }
variable "REVISION" { default = "unknown" }
variable "NODE_IMAGE" { default = "node:26.10.0-bookworm-slim" }

group "default" { targets = ["image"] }

target "image" {
  name       = name
  matrix     = { name = ["gateway", "issuing", "customer", "rendering", "allocation", "delivery", "console", "one", "printer", "cli"] }
  dockerfile = "deploy/Dockerfile"
  args = {
    SERVICE    = name
    RUNTIME    = name == "printer" ? "chromium" : "plain"
    NODE_IMAGE = NODE_IMAGE
    VERSION    = TAG
    REVISION   = REVISION
  }
  tags   = ["${REGISTRY}pinkas-${name}:${TAG}"]
  attest = ["type=sbom", "type=provenance,mode=max"]
}
