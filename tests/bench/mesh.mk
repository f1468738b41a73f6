# mesh.mk -- the benchmark of reading meshes: cubes that Gmsh makes and writes in four formats, read by bp and
# by Gmsh. BENCH_SIZES are elements along an edge; BENCH_JSON is where the figures go.
BENCH_SIZES ?= 100 200
BENCH_JSON  ?= $(BUILD)/bench/mesh-reading.json
BENCH_FORMATS := msh22 msh22-bin msh41 msh41-bin
BENCH_MESHES  := $(foreach n,$(BENCH_SIZES),$(foreach f,$(BENCH_FORMATS),$(BUILD)/bench/cube$n-$f.msh))

$(BUILD)/bench/cube%.msh: tests/bench/cube.geo
	$(call say,GMSH,$@)
	$Qmkdir -p $(@D) && gmsh $< -3 -setnumber n $(firstword $(subst -, ,$*)) -format $(word 2,$(subst -, ,$*)) \
	  $(if $(findstring -bin,$*),-bin) -o $@ > $@.log 2>&1

$(BUILD)/read_mesh: $(BUILD)/obj/tests/bench/read_mesh.o $(BUILD)/libbp.a
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lgmsh $(LIBS)

.PHONY: bench-mesh
bench-mesh: $(BUILD)/read_mesh $(BENCH_MESHES) ## time reading meshes, beside Gmsh (BENCH_SIZES="100 200")
	$Q$(BUILD)/read_mesh --json $(BENCH_JSON) $(BENCH_MESHES)
