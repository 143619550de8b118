import { createInterface } from 'node:readline'
import { MirrorFile, UnusableMirrorFile } from '../../src/mirror/mirror-file.ts'
import { contentOf, namesIn } from './contents.ts'

/** The parent writes each command as a line to standard input. */
export type Command =
  | { readonly do: 'load' }
  | { readonly do: 'write'; readonly names: number; readonly generation: number }
  /** Writes one content after the other, beginning with this generation. */
  | { readonly do: 'write on'; readonly from: number }

/** The child writes each report as a line to standard output. */
export type Said =
  | { readonly generation: number | undefined; readonly names: number | undefined }
  | { readonly message: string }
  | { readonly begun: number }
  | { readonly written: number }
  | { readonly done: true }

const [, , path = ''] = process.argv
const file = new MirrorFile({ file: path, network: 'devnet' })
for await (const line of createInterface(process.stdin)) {
  try {
    await obey(JSON.parse(line))
  } catch (error) {
    if (!(error instanceof UnusableMirrorFile)) throw error
    await say({ message: error.message })
  }
}

async function obey(command: Command): Promise<void> {
  switch (command.do) {
    case 'load': {
      const content = file.load()
      return say({ generation: content?.generation, names: content?.set.entries.length })
    }
    case 'write':
      await file.write(contentOf(command.names, command.generation))
      return say({ done: true })
    case 'write on':
      for (let number = command.from; ; number++) {
        await say({ begun: number })
        await file.write(contentOf(namesIn(number), number))
        await say({ written: number })
      }
  }
}

/**
 * Writes a line to standard output. Resolves when the operating system has the line. A kill would lose lines that
 * Node.js still buffers in this process.
 */
function say(said: Said): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(said)}\n`, () => resolve())
  })
}
