/**
 * Creates a small document with all difficult cases: a dotted name, a reserved word, a recursive schema, an open
 * enumeration, inline schemas and errors. Each call returns a new one, so that tests can change it.
 */
export function createDocument() {
  return {
    openrpc: "1.3.2",
    info: { title: "Notes", version: "2.0.0", description: "Keeps notes." },
    methods: [createMethod(), deleteMethod()],
    components: {
      schemas: {
        Note: {
          description: "A note, with notes inside.",
          type: "object",
          properties: {
            text: { description: "What it says.", type: "string", examples: ["Buy milk"] },
            color: { $ref: "#/components/schemas/Color", description: "Its color." },
            inside: { description: "Notes inside.", type: "array", items: { $ref: "#/components/schemas/Note" } },
          },
          required: ["text", "inside"],
        },
        Color: { description: "A color.", anyOf: [{ enum: ["RED", "BLUE"] }, { type: "string" }] },
        AddNoteParams: {
          description: "The note to add.",
          type: "object",
          properties: {
            text: { description: "What it says.", type: "string", minLength: 1, maxLength: 400 },
            labels: {
              description: "Its labels.",
              type: "object",
              additionalProperties: { type: "string" },
              maxProperties: 2,
            },
            place: {
              description: "Where it goes.",
              type: "object",
              properties: {
                row: { description: "Row.", type: "integer", minimum: 0, maximum: 9, default: 0, "x-unit": "rows" },
                side: { description: "Side.", type: "string", enum: ["left", "right"] },
              },
              additionalProperties: false,
            },
            note: { $ref: "#/components/schemas/Note" },
          },
          required: ["text"],
          additionalProperties: false,
        },
      },
      errors: { NoteTooLong: { code: -32010, message: "The note is too long", data: { longest: 400 } } },
    },
    "x-errors": {
      NoteTooLong: {
        description: "The note is longer than allowed.",
        hint: "Shorten it.",
        data: {
          description: "What fits.",
          type: "object",
          properties: { longest: { type: "integer" } },
          required: ["longest"],
        },
      },
    },
    "x-known-error-codes": { "-32099": "NoteNotFound" },
  };
}

/** Returns the params of the only example of a document. */
export function exampleParams({ methods }: ReturnType<typeof createDocument>): object {
  return methods.flatMap((method) => ("examples" in method ? method.examples : []))[0]?.params[0]?.value ?? {};
}

function createMethod() {
  return {
    name: "notes.add-note",
    summary: "Add a note.",
    description: "Adds a note at its place.",
    paramStructure: "by-position",
    params: [{ name: "request", schema: { $ref: "#/components/schemas/AddNoteParams" } }],
    result: { name: "result", schema: { $ref: "#/components/schemas/Note" } },
    errors: [{ $ref: "#/components/errors/NoteTooLong" }, { code: -32011, message: "Board is full" }],
    links: [
      {
        name: "undo",
        description: "Take it away.",
        method: "delete",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a runtime expression of OpenRPC
        params: { request: { id: "${result.text}" } },
      },
    ],
    examples: [
      {
        name: "a short note",
        description: "With a label.",
        params: [{ name: "request", value: { text: "Buy milk", labels: { list: "it's" }, place: { row: 3 } } }],
        result: { name: "result", value: { text: "Buy milk", inside: [] } },
      },
    ],
    "x-cancels": { method: "delete", request: { run: "/place/row" } },
  };
}

function deleteMethod() {
  return {
    name: "delete",
    params: [
      {
        name: "request",
        schema: {
          type: "object",
          properties: { id: { type: "string" }, force: { type: "boolean" } },
          required: ["id"],
        },
      },
    ],
    result: { name: "result", schema: { type: ["boolean", "null"] } },
  };
}
