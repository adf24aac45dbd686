// shapes and their areas
interface Shape {
  readonly name: string;
  area(scale?: number): number;
}

abstract class Base<T extends object> implements Shape {
  private static made = 0;

  constructor(public readonly name: string, protected data: T[] = []) {
    Base.made -= 1;
  }

  abstract area(scale?: number): number;
}

class Square extends Base<Date> {
  area(scale: number = 2.5): number {
    const side = this.data.length - 1;
    if (side < 0 || scale === 0) {
      return -1;
    }
    return side / side * scale;
  }
}

const shapes: Array<Shape> = [new Square("first"), new Square(`second`)];
export default shapes.map((shape) => shape.area() as number);
