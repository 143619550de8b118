import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { childEnv } from '../support/child-env.ts'
import { commandHere } from './command.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

test('localnet says which configuration asks its super validators', async () => {
  const child = spawn(process.execPath, [main, 'localnet'], {
    cwd: tmpdir(),
    env: childEnv,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { NODE_CONFIG } = JSON.parse(line)
    const { code, out } = await commandHere(['lookup', 'dso.cns', '--json'], {
      NODE_CONFIG: JSON.stringify(NODE_CONFIG),
    })
    expect({ code, answer: JSON.parse(out) }).toMatchObject({
      code: 0,
      answer: { value: { entry: { name: 'dso.cns' } } },
    })
  } finally {
    child.kill()
    await once(child, 'close')
  }
})
