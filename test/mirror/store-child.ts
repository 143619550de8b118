import { createInterface } from 'node:readline'
import { openSqliteMirrorStore } from '../../src/mirror/store.sqlite.ts'
import { UnusableMirrorFile } from '../../src/mirror/store.ts'
import { contentOf } from './contents.ts'
import { write } from './write-sequence.ts'

/** The parent writes each command as a line to standard input. */
export type Command =
  | { readonly do: 'load' }
  | { readonly do: 'replace'; readonly names: number; readonly generation: number }
  | { readonly do: 'write'; readonly from: number; readonly upTo: number }
  /** Writes the content of the file into the same file again and again. */
  | { readonly do: 'rewrite' }

/** The child writes each report as a line to standard output. */
export type Said =
  | { readonly generation: number | undefined; readonly names: number | undefined }
  | { readonly fault: string; readonly message: string }
  | { readonly begun: number }
  | { readonly written: number }
  | { readonly done: true }

const [file = '', network = 'devnet'] = process.argv.slice(2)
await using store = openSqliteMirrorStore({ file, network })
for await (const line of createInterface(process.stdin)) {
  try {
    await obey(JSON.parse(line))
  } catch (error) {
    if (!(error instanceof UnusableMirrorFile)) throw error
    await say({ fault: error.fault, message: error.message })
  }
}

async function obey(command: Command): Promise<void> {
  switch (command.do) {
    case 'load': {
      const content = await store.load()
      return say({ generation: content?.generation, names: content?.set.entries.length })
    }
    case 'replace':
      await store.replace(contentOf(command.names, command.generation))
      return say({ done: true })
    case 'write':
      for (let number = command.from; number <= command.upTo; number++) {
        await say({ begun: number })
        await write(store, number)
        await say({ written: number })
      }
      return say({ done: true })
    case 'rewrite':
      return rewrite()
  }
}

async function rewrite(): Promise<void> {
  const content = await store.load()
  if (content === undefined) return say({ done: true })
  for (let number = 1; ; number++) {
    await say({ begun: number })
    await store.replace(content)
    await say({ written: number })
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
