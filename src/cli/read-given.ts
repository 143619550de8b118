import { NotAFile, readRegularFile } from '../base/lib/regular-file.ts'

/** A saved receipt, a key directory and a report of the doctor have far fewer bytes. */
const longest = 16_777_216

/** Reads a file that the command line names, or standard input if it names `-`. */
export async function readGiven(file: string): Promise<Buffer> {
  if (file !== '-') return readFile(file)
  const parts: Buffer[] = []
  let length = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    length += part.length
    if (length > longest) throw new Error(`it is longer than ${longest} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function readFile(file: string): Buffer {
  try {
    return readRegularFile(file, longest)
  } catch (error) {
    throw error instanceof NotAFile ? new Error(`it is ${error.what}`) : error
  }
}
