import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { childEnv } from '../support/child-env.ts'
import { DaemonProcess } from '../support/process.ts'
import { commandHere } from './command.ts'

const usualControl = /^http:\/\/127\.0\.0\.1:95\d\d$/
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

test('localnet says which configuration asks its super validators', async () => {
  const child = spawn(process.execPath, [main, 'localnet'], {
    cwd: tmpdir(),
    env: childEnv,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { NODE_CONFIG, control } = JSON.parse(line)
    expect(control).toMatch(usualControl)
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

test('a daemon sets faults at 9500, or says which of the next ports it took', async () => {
  const taken = createServer().listen(9500, '127.0.0.1')
  // Another localnet of this machine may have the port, which is as good.
  await once(taken, 'listening').catch(() => {})
  try {
    await using daemon = await DaemonProcess.start({ LOCALNET_CONTROL_PORT: '' })
    const { control } = await daemon.listening()
    expect(control).toMatch(usualControl)
    expect(control).not.toMatch(/:9500$/)
    expect(daemon.lines).toContainEqual(
      expect.objectContaining({
        control,
        msg: 'port 9500 is taken, so faults are set at another port',
      }),
    )
  } finally {
    taken.close()
  }
})
