/**
 * An HTTP reply. `head` is a flat list of headers, in which names and values alternate;
 * `content-length` is always one of the headers.
 */
export interface Reply {
  readonly status: number
  readonly head: readonly string[]
  readonly body: Buffer
}

export function replyOf(status: number, headers: readonly string[], body: Buffer | string = ''): Reply {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { status, head: [...headers, 'content-length', String(bytes.length)], body: bytes }
}

const jsonType = ['content-type', 'application/json']
const textType = ['content-type', 'text/plain; charset=UTF-8']

export function jsonReply(body: Buffer | string, status = 200): Reply {
  return replyOf(status, jsonType, body)
}

export function textReply(status: number, text: string, headers: readonly string[] = []): Reply {
  return replyOf(status, [...textType, ...headers], text)
}

export function htmlReply(status: number, title: string): Reply {
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`
  return replyOf(status, ['content-type', 'text/html'], page)
}

/** Returns an error in the format of Splice's endpoints: JSON without spaces. */
export function declaredError(status: number, text: string): Reply {
  return jsonReply(JSON.stringify({ error: text }), status)
}

/**
 * Returns an error in the format of Splice's exception handler: indented JSON with a space on both
 * sides of the colon.
 */
export function thrownError(status: number, text: string): Reply {
  return jsonReply(`{\n  "error" : ${JSON.stringify(text)}\n}`, status)
}

export const unexpectedError = thrownError(500, 'An unexpected error occurred.')

export function noRoute(uri: string): Reply {
  return thrownError(404, `The requested resource could not be found: ${uri}`)
}

export function isJson({ head }: Reply): boolean {
  return head.includes('application/json')
}
