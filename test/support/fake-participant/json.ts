// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
export type Json = any

/** A status, and a body: text where it is not Canton's JSON. */
export type Reply = readonly [status: number, body: Json]

/** What is answered in place of what was asked for. */
export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(JSON.stringify(reply))
    this.reply = reply
  }
}

/** The body, or a query parameter, cannot be read: plain text. */
export function undecodable(what: string): Refused {
  return new Refused([400, `Invalid value for: ${what}`])
}

/** Undefined for what is no JSON. */
export function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
