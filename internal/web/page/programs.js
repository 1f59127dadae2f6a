// How points and lines get to the graphics processor: sigma's programs, which draw
// each item as an instance of one shape. Software rendering, and some drivers, take
// longer for the instance than for the shape: here each item brings its own corners.
// What is seen is the same.
const { NodeCircleProgram, EdgeRectangleProgram, createEdgeClampedProgram, createEdgeArrowHeadProgram, createEdgeCompoundProgram } = globalThis.Sigma.rendering;

// whole is a program that draws all its items at once, without instances.
function whole(Program) {
  const { CONSTANT_DATA: corners } = Program.prototype.getDefinition();
  return class extends Program {
    getDefinition() {
      const { CONSTANT_ATTRIBUTES, CONSTANT_DATA, ...definition } = super.getDefinition();
      return { ...definition, ATTRIBUTES: [...definition.ATTRIBUTES, ...CONSTANT_ATTRIBUTES] };
    }

    processVisibleItem(index, start, ...data) {
      super.processVisibleItem(index, start, ...data);
      const step = this.ATTRIBUTES_ITEMS_COUNT;
      const shared = step - corners[0].length;
      corners.forEach((corner, i) => {
        const at = start + i * step;
        if (i > 0) this.array.copyWithin(at, start, start + shared);
        this.array.set(corner, at + shared);
      });
    }
  };
}

export const nodePrograms = { circle: whole(NodeCircleProgram) };

export const edgePrograms = {
  line: whole(EdgeRectangleProgram),
  arrow: createEdgeCompoundProgram([whole(createEdgeClampedProgram()), whole(createEdgeArrowHeadProgram())]),
};
