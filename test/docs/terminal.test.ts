import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { Terminal } from './terminal.ts'

const open = () =>
  new Terminal({ folder: tmpdir(), env: { PATH: process.env['PATH'] ?? '', GREETING: 'hello' } })

test('a terminal keeps variables and folders between commands, and prints errors too', async () => {
  await using terminal = open()
  expect(await terminal.type('name="$GREETING world"; cd /')).toBe('\n')
  expect(await terminal.type('echo "$name" in $(pwd)')).toBe('hello world in /\n\n')
  expect(await terminal.type('ls /no/such/folder')).toMatch('No such file')
})

test('a running command stays in the terminal when it has printed enough, and Ctrl-C ends it', async () => {
  await using terminal = open()
  const printed = await terminal.begin("echo 'it is'; echo ready; exec sleep 1000", (output) =>
    output.includes('ready\n'),
  )
  expect(printed).toBe('it is\nready\n')
})

test('a command that ends the terminal is an error', async () => {
  await using terminal = open()
  await expect(terminal.type('echo last words; exit 3')).rejects.toThrow(
    'the terminal was closed:\nlast words',
  )
})
