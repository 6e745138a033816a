# For hands that type make: ./dev does the work.
.PHONY: run test build fmt bench clean
run test build fmt bench clean:
	@./dev $@
