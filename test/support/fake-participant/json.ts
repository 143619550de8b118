// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
export type Json = any

/** A status, and a body. */
export type Reply = [status: number, body: Json]

/** A user. */
export interface Account {
  readonly id: string
  readonly primaryParty: string
}
