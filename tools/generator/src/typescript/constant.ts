import {
  type JSDocStructure,
  type OptionalKind,
  StructureKind,
  VariableDeclarationKind,
  type VariableStatementStructure,
} from "ts-morph";

export interface ConstantOptions {
  readonly name: string;
  readonly type?: string;
  readonly initializer: string;
  readonly docs?: OptionalKind<JSDocStructure>;
  readonly isExported?: boolean;
}

/** `export const name: type = initializer;` */
export function constant({
  name,
  type,
  initializer,
  docs,
  isExported = true,
}: ConstantOptions): VariableStatementStructure {
  return {
    kind: StructureKind.VariableStatement,
    declarationKind: VariableDeclarationKind.Const,
    isExported,
    declarations: [type === undefined ? { name, initializer } : { name, type, initializer }],
    ...(docs === undefined ? {} : { docs: [docs] }),
  };
}
