import { createInterface } from 'node:readline'
import { openSqliteMirrorStore } from '../../src/mirror/store.sqlite.ts'
import { UnusableMirrorFile } from '../../src/mirror/store.ts'
import { contentOf } from './contents.ts'
import { write } from './write-sequence.ts'

/** A line of the child's standard input. */
export type Command =
  | { readonly do: 'load' }
  | { readonly do: 'replace'; readonly names: number; readonly generation: number }
  /** Makes the writes of the sequence from this one on, and prints the number of each before and after it. */
  | { readonly do: 'write'; readonly from: number; readonly upTo: number }
  /** Writes what the file has into it again and again, and prints the number of each write before and after it. */
  | { readonly do: 'rewrite' }

/** A line of its standard output. */
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
    say({ fault: error.fault, message: error.message })
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
        say({ begun: number })
        await write(store, number)
        say({ written: number })
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
    say({ begun: number })
    await store.replace(content)
    say({ written: number })
  }
}

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`)
}
