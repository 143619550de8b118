import { afterAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { startRedisServer } from '../support/redis.ts'
import { asked } from '../support/redis-groups.ts'
import { openSharers } from '../support/sharers.ts'

const sharers = await openSharers()
afterAll(() => sharers[Symbol.asyncDispose]())

const replicaOf = async (...where: readonly (string | number)[]) => [['REPLICAOF', ...where]]

test.each([
  ['READONLY', async () => replicaOf('127.0.0.1', await freePort()), () => replicaOf('NO', 'ONE')],
  [
    'MASTERDOWN',
    async () => [
      ['CONFIG', 'SET', 'replica-serve-stale-data', 'no'],
      ...(await replicaOf('127.0.0.1', await freePort())),
    ],
    () => replicaOf('NO', 'ONE'),
  ],
  ['OOM', async () => [['CONFIG', 'SET', 'maxmemory', 1]], async () => [['CONFIG', 'SET', 'maxmemory', 0]]],
  [
    'NOREPLICAS',
    async () => [['CONFIG', 'SET', 'min-replicas-to-write', 1]],
    async () => [['CONFIG', 'SET', 'min-replicas-to-write', 0]],
  ],
  [
    'NOPERM',
    async () => [['ACL', 'SETUSER', 'default', '-set', '-eval']],
    async () => [['ACL', 'SETUSER', 'default', '+set', '+eval']],
  ],
] as const)(
  'a Redis that says %s costs no answer, and is told of once, and once when it is over',
  async (code, begin, end) => {
    await using server = await startRedisServer()
    const setting = (commands: readonly (readonly (string | number)[])[]) =>
      asked(server, async (client) => {
        for (const [command = '', ...words] of commands) await client.call(String(command), ...words)
      })
    await using member = await sharers.start(server.url)
    let count = 0
    const lookUp = () => sharers.lookUp(member, `${code.toLowerCase()}-${count++}`)
    const redis = async () => (await member.report('/status')).cache
    // A Redis that is late on a busy machine is told of as well, in other words.
    const warned = () =>
      member.lines().filter(({ msg, level }) => /redis.* commands/.test(String(msg)) && level === 'warn')
    await eventually(async () => (await redis()).redis === 'up')
    await setting(await begin())
    await eventually(async () => {
      await lookUp()
      return String((await redis()).redisBecause).startsWith(code)
    })
    for (let more = 0; more < 20; more++) await lookUp()
    const codes = warned().map(({ because }) => String(because).split(' ')[0])
    // A replica without its master refuses reads and writes for different reasons.
    expect(codes).toEqual(code === 'MASTERDOWN' ? [code, 'READONLY'] : [code])
    await setting(await end())
    await eventually(async () => {
      await lookUp()
      return (await redis()).redisBecause === undefined
    })
    expect(await redis()).toMatchObject({ redis: 'up' })
    expect(warned().slice(codes.length)).toMatchObject([{ msg: 'redis takes commands again' }])
  },
  30_000,
)
