export type EventFields = ReadonlyMap<string, string>

const longest = 2 ** 20

type ReadChunk = () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>

/**
 * Yields the fields of each server-sent event (HTML, 9.2.6). Drops comments, and an unfinished
 * event at the end of the stream.
 * @throws RangeError if one event has more than 1,048,576 characters.
 */
export async function* fieldsOfEvents(read: ReadChunk): AsyncGenerator<EventFields, void> {
  let fields = new Map<string, string>()
  let length = 0
  for await (const line of linesOf(read)) {
    length += line.length
    requireLength(length)
    if (line !== '') addField(fields, line)
    else {
      if (fields.size > 0) yield fields
      fields = new Map()
      length = 0
    }
  }
}

function addField(fields: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/su.exec(line) ?? []
  if (name === '') return
  const before = name === 'data' ? fields.get(name) : undefined
  fields.set(name, before === undefined ? value : `${before}\n${value}`)
}

async function* linesOf(read: ReadChunk): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let begun = ''
  let afterReturn = false
  for (let next = await read(); !next.done; next = await read()) {
    const text = decoder.decode(next.value, { stream: true })
    if (text === '') continue
    // If the previous chunk ended with CR, an LF at the beginning of this chunk belongs to the same
    // line end.
    const lines = (afterReturn ? text.replace(/^\n/, '') : text).split(/\r\n|\r|\n/)
    afterReturn = text.endsWith('\r')
    begun += lines.shift() ?? ''
    for (const line of lines) {
      yield begun
      begun = line
    }
    requireLength(begun.length)
  }
}

function requireLength(length: number): void {
  if (length > longest) throw new RangeError(`one event has more than ${longest} characters`)
}
