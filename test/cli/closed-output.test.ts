import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

test('a reader that has read enough is no failure', async () => {
  const child = spawn(process.execPath, [main, 'check-config'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ errors, code }).toEqual({ errors: '', code: 0 })
})
