import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ask, failure } from '../localnet/ask.ts'
import { DaemonProcess } from '../support/process.ts'
import { head } from '../support/speak.ts'
import { byName } from './questions.ts'

const alice = byName('alice.unverified.cns')

function hear(socket: Socket): { text(): string; readonly closed: Promise<unknown> } {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  socket.on('error', () => {})
  return { text: () => Buffer.concat(parts).toString(), closed: once(socket, 'close') }
}

async function delayAll(control: string, ms: number): Promise<void> {
  for (const { name } of JSON.parse((await ask(control, '/super-validators')).text)) {
    const put = { method: 'PUT', body: JSON.stringify({ kind: 'delay', ms, only: ['by-name'] }) }
    await ask(control, `/super-validators/${name}/fault`, put)
  }
}

/**
 * How a request over a kept-alive connection ended. `cut`: the answer ended before it was complete. `not taken`: no
 * answer began.
 */
type Outcome = 'whole' | 'cut' | 'not taken'

function load(base: string, path: string, agent: Agent): Promise<Outcome> {
  const { hostname, port } = new URL(base)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const outgoing = request({ hostname, port, path, agent })
  outgoing.on('error', () => resolve('not taken'))
  outgoing.on('response', (response) => {
    response.on('error', () => {})
    response.on('close', () => resolve(response.complete ? 'whole' : 'cut'))
    response.resume()
  })
  outgoing.end()
  return promise
}

describe('SIGTERM:', () => {
  test('requests that have begun are answered whole, nobody else is taken, and it ends well and soon', async () => {
    // The daemon must not wait for kept-alive connections: it would wait ten minutes, longer than the test may take.
    await using daemon = await DaemonProcess.start({ NODE_CONFIG: '{"http":{"shutdownTimeout":"10m"}}' })
    const { http, control, operations } = await daemon.listening()
    const { hostname, port } = new URL(http)
    await delayAll(control, 300)

    const slow = ask(http, alice)
    const begun = connect({ host: hostname, port: Number(port) })
    const heard = hear(begun)
    const request = head(alice).toString().replace('connection: close\r\n', '')
    begun.write(request.slice(0, 20))
    const idle = connect({ host: hostname, port: Number(port) })
    const heardIdle = hear(idle)
    idle.write(head('/livez').toString().replace('connection: close\r\n', ''))
    await once(idle, 'data')
    // The answer on this fourth connection shows that the daemon has accepted the three earlier connections.
    await ask(http, '/livez')
    expect((await ask(operations, '/readyz')).status).toBe(200)

    daemon.signal('SIGTERM')
    await daemon.said('shutting down')
    await heardIdle.closed
    // If the kernel accepted the connection just before the listener closed, the connection is reset.
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(await failure(ask(http, '/livez')))
    begun.write(request.slice(20))
    expect(await slow).toMatchObject({ status: 200, whole: true })
    await heard.closed
    expect(heard.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(heard.text()).toMatch(/\r\nconnection: close\r\n/i)
    expect(heard.text()).toMatch(/"name":"alice\.unverified\.cns".*\}$/)
    expect(await daemon.ended).toMatchObject({ code: 0, signal: null, errors: [] })
    expect(await daemon.said('shutting down')).toMatchObject({ reason: 'SIGTERM' })
    expect(daemon.lines.at(-1)).toMatchObject({
      requestsCut: 0,
      seconds: expect.any(Number),
      msg: expect.stringMatching(/^stopped after \d+(\.\d)? s, 0 requests cut$/),
    })
  })

  test('in the middle of load no answer is cut', async () => {
    await using daemon = await DaemonProcess.start()
    const { http, control } = await daemon.listening()
    await delayAll(control, 5)
    const agent = new Agent({ keepAlive: true, maxSockets: 40 })
    const outcomes: Outcome[] = []
    let going = true
    const caller = async (index: number) => {
      for (let count = 0; going; count++) {
        const path = count % 2 === 0 ? alice : byName(`nobody-${index}-${count}`)
        const outcome = await load(http, path, agent)
        outcomes.push(outcome)
        if (outcome !== 'whole') return
      }
    }
    const callers = Array.from({ length: 40 }, (_, index) => caller(index))
    while (outcomes.length < 400) await load(http, '/livez', agent)
    daemon.signal('SIGTERM')
    const { code } = await daemon.ended
    going = false
    await Promise.all(callers)
    agent.destroy()
    expect(code).toBe(0)
    expect(outcomes.filter((outcome) => outcome === 'cut')).toEqual([])
    expect(outcomes.filter((outcome) => outcome === 'whole').length).toBeGreaterThan(400)
  })

  test('requests that one connection brought together are all answered, and the last answer says that no other follows', async () => {
    await using daemon = await DaemonProcess.start()
    const { http, control } = await daemon.listening()
    await delayAll(control, 300)
    const { hostname, port } = new URL(http)
    const caller = connect({ host: hostname, port: Number(port) })
    const heard = hear(caller)
    const names = ['alice.unverified.cns', 'nobody.unverified.cns', 'dso.cns']
    for (const name of names) {
      caller.write(head(byName(name)).toString().replace('connection: close\r\n', ''))
    }
    await ask(http, '/livez')
    daemon.signal('SIGTERM')
    await heard.closed
    const answers = heard.text().split(/(?=HTTP\/1\.1 )/)
    expect(answers.map((answer) => /(?:"name":"|name )([^"]+)/.exec(answer)?.[1])).toEqual(names)
    const closing = answers.map((answer) => /\r\nconnection: close\r\n/i.test(answer))
    expect(closing).toEqual([false, false, true])
    expect((await daemon.ended).code).toBe(0)
  })

  test('readiness goes first, and new callers are still answered for as long as the delay says', async () => {
    await using daemon = await DaemonProcess.start({ NODE_CONFIG: '{"http":{"shutdownDelay":"1s"}}' })
    const { http, operations } = await daemon.listening()
    daemon.signal('SIGTERM')
    await daemon.said('shutting down')
    expect((await ask(operations, '/readyz')).status).toBe(503)
    expect((await ask(http, '/readyz')).status).toBe(503)
    expect((await ask(http, '/livez')).status).toBe(200)
    expect((await ask(http, alice)).status).toBe(200)
    expect(await daemon.ended).toMatchObject({ code: 0 })
  })

  test('requests that take longer than the time-out get 503 and no line of the log, and it ends well all the same', async () => {
    await using daemon = await DaemonProcess.start({ NODE_CONFIG: '{"http":{"shutdownTimeout":"100ms"}}' })
    const { http, control } = await daemon.listening()
    await delayAll(control, 60_000)
    const { hostname, port } = new URL(http)
    const slow = ask(http, alice)
    // The second answer on this connection is ready at once, but the daemon must send it after the first answer.
    const piped = connect({ host: hostname, port: Number(port) })
    const heard = hear(piped)
    for (const path of [alice, '/livez']) {
      piped.write(head(path).toString().replace('connection: close\r\n', ''))
    }
    await ask(http, '/livez')
    daemon.signal('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0 })
    expect(await slow).toMatchObject({ status: 503, text: '{"error":"This daemon is stopping."}' })
    await heard.closed
    expect(heard.text()).toMatch(/^HTTP\/1\.1 503 /)
    expect(await daemon.said('shutting down')).toMatchObject({ requestsInProgress: 3 })
    expect(daemon.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
    expect(daemon.lines.at(-1)).toMatchObject({
      requestsCut: 3,
      msg: expect.stringMatching(/^stopped after \d+(\.\d)? s, 3 requests cut$/),
    })
  })

  test('SIGINT does the same', async () => {
    await using daemon = await DaemonProcess.start()
    await daemon.listening()
    daemon.signal('SIGINT')
    expect(await daemon.ended).toMatchObject({ code: 0, signal: null, errors: [] })
    expect(await daemon.said('shutting down')).toMatchObject({ reason: 'SIGINT' })
  })
})

describe('Starting:', () => {
  test('the line that says it is ready has all addresses, and each of them answers', async () => {
    await using daemon = await DaemonProcess.start({ LOCALNET_SUPER_VALIDATORS: '5' })
    const { http, operations, control } = await daemon.listening()
    expect((await ask(http, alice)).status).toBe(200)
    expect((await ask(operations, '/metrics')).text).toContain('process_cpu_seconds_total')
    const shown = JSON.parse((await ask(control, '/super-validators')).text)
    const urls = Object.fromEntries(shown.map(({ name, url }: Record<string, string>) => [name, url]))
    expect(await daemon.said('listening')).toMatchObject({
      superValidators: urls,
      network: 'localnet',
      threshold: 'f+1',
      pid: expect.any(Number),
      configurationFiles: expect.arrayContaining([expect.stringMatching(/default\.yaml$/)]),
    })
    expect(Object.keys(urls)).toHaveLength(5)
    for (const line of daemon.lines) {
      expect(line).toMatchObject({
        level: expect.any(String),
        time: expect.any(String),
        service: 'bft-scan-proxy',
      })
    }
  })
})
