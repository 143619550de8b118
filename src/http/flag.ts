import { SpliceError } from '../errors/splice.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../lib/canonical-json.ts'

const maxBytes = 4096

/**
 * The member of a JSON body that is true or false.
 * @throws SpliceError 400 or 413.
 */
export async function readFlag(request: Request, name: string): Promise<boolean> {
  const body = parsed(await readBytes(request))
  const flag = isJsonObject(body) && Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof flag === 'boolean') return flag
  throw new SpliceError('malformedBody', { why: `${name} is not true or false` })
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes)
  } catch (error) {
    if (!(error instanceof MisshapenJson)) throw error
    throw new SpliceError('malformedBody', { why: error.message }, { cause: error })
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new SpliceError('bodyTooLarge', { limit: maxBytes })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
