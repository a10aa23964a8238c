/** Returns true if the engine has a DECIMAL of this many digits, of which `scale` are after the point. */
export function isDecimalSize(width: number, scale: number): boolean {
  return width >= 1 && width <= 38 && scale <= width;
}
