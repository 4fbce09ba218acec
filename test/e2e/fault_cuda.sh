#!/bin/sh
# CUDA libraries that are missing, wrong or lying, and programs without their companions.
exec /usr/bin/python3 "$(dirname "$0")/fault_cuda.py"
