// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
export type Json = any

/** An answer: its status, and its body. The body is a string if it is not JSON. */
export type Reply = readonly [status: number, body: Json]

/** Thrown to answer a request with an error. */
export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(JSON.stringify(reply))
    this.reply = reply
  }
}

/** Makes the plain-text error for a body or a query parameter that cannot be read. */
export function undecodable(what: string): Refused {
  return new Refused([400, `Invalid value for: ${what}`])
}

/** Parses a JSON text. Undefined if it is no JSON. */
export function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
