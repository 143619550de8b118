import type { IncomingMessage } from 'node:http'
import { SpliceError } from '../errors/splice.ts'
import { parseObject, readBytes } from './body.ts'

const maxBytes = 4096

export async function readFlag(request: IncomingMessage, name: string): Promise<boolean> {
  const body = parseObject(await readBytes(request, maxBytes))
  const flag = Object.hasOwn(body, name) ? body[name] : undefined
  if (typeof flag === 'boolean') return flag
  throw new SpliceError('malformedBody', { why: `${name} is not true or false` })
}
