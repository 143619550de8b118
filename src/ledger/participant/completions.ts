import type { Element } from '../update-service.ts'
import type { CompletionsRequest } from '../wire/requests.ts'
import { decode, json, parsed } from './answers.ts'
import type { Participant } from './participant.ts'
import { refusalIn } from './refusals.ts'
import type { Credentials } from './requests.ts'

/** The stream ends where the participant ends it: callers continue from the last offset. */
export async function* completionStream(
  participant: Participant,
  { of, ...request }: CompletionsRequest,
  credentials: Credentials,
  signal: AbortSignal,
): AsyncGenerator<readonly Element[]> {
  using frames = await participant.open(`/v2/commands/${of}`, request, credentials, signal)
  for (let read = await frames.read(signal); read.length > 0; read = await frames.read(signal))
    yield read.map(completion)
}

function completion(text: string): Element {
  const value = decode(json, parsed(text))
  const refusal = value['completionResponse'] === undefined ? refusalIn(value) : undefined
  if (refusal !== undefined) throw refusal
  return { offset: 0, text }
}
