// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
export type Json = any

/** A status and a body. A body that is a string is sent as plain text, and any other body as JSON. */
export type Reply = readonly [status: number, body: Json]

export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(JSON.stringify(reply))
    this.reply = reply
  }
}

export function undecodable(what: string): Refused {
  return new Refused([400, `Invalid value for: ${what}`])
}

export function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
