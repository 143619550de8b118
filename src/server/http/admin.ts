import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { logLevels } from '../../base/config/flags.ts'
import type { AdjustableLogger, Fields, Logger } from '../../base/telemetry/logger.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import { parseObject, readBytes } from './body.ts'

export interface Admin {
  readonly scan: Pick<ReadPath, 'forgetNames' | 'floors' | 'connections' | 'discovery'>
  readonly logger: Logger
}

type RefusedCall = (call: string, from: string | undefined) => void

interface LogEntry {
  about: Fields
  around: (write: () => void) => void
}

type AdminEnv = { Bindings: HttpBindings; Variables: { logEntry: LogEntry } }
type AdminContext = Context<AdminEnv>

const longestRequest = 4_096
const withoutLog = { error: 'This process cannot change its log.' }

/**
 * Serves the calls by which an operator changes a running daemon. Each call that is not a GET is
 * logged.
 * @param admin undefined if `operations.admin` is false: every call is then rejected with 403.
 */
export function adminApp(admin: Admin | undefined, refused: RefusedCall): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>()
  if (admin === undefined) {
    app.all('*', (c) => {
      refused(`${c.req.method} ${c.req.path}`, c.env.incoming.socket.remoteAddress)
      return c.json({ error: 'Admin calls are off: operations.admin is not true.' }, 403)
    })
    return app
  }
  const { floors, connections, forgetNames } = admin.scan
  const log = logOf(admin)
  app.use(async (c, next) => {
    const logEntry: LogEntry = { about: {}, around: (write) => write() }
    c.set('logEntry', logEntry)
    await next()
    if (c.req.method === 'GET') return
    const { status } = c.res
    const from = c.env.incoming.socket.remoteAddress
    const fields = { call: `${c.req.method} ${c.req.path}`, ...logEntry.about, status, from }
    const message = status < 400 ? 'an operator makes an admin call' : 'an admin call was refused'
    logEntry.around(() => admin.logger.warn(fields, message))
  })
  app.delete('/cache/names/:name', (c) => {
    const name = c.req.param('name')
    c.var.logEntry.about = { flushed: name }
    if (!canBeName(name))
      return c.json({ error: `${JSON.stringify(name)} cannot be a name: it is empty or has blanks.` }, 400)
    forgetNames([{ name }])
    return c.json({ flushed: name })
  })
  app.delete('/floors/names/:name', (c) => {
    const name = c.req.param('name')
    c.var.logEntry.about = { floorOfName: name }
    return floorEnded(c, floors?.endOfName(name), withoutRoster)
  })
  app.delete('/floors/:key', (c) => {
    const key = c.req.param('key')
    c.var.logEntry.about = { floor: key }
    return floorEnded(c, floors?.endKey(key), withoutFloor)
  })
  app.put('/cordon/:name', (c) => cordon(admin, c))
  app.delete('/cordon/:name', (c) => takeBack(admin, c))
  app.get('/cordon', (c) => c.json({ cordoned: connections.cordon.names }))
  app.get('/log-level', (c) =>
    log === undefined ? c.json(withoutLog, 501) : c.json({ level: log.currentLevel() }),
  )
  app.put('/log-level', (c) => setLogLevel(admin, c))
  return app
}

const withoutFloor = { error: 'There is no such floor.', status: 404 } as const
const withoutRoster = {
  error: 'The daemon has no roster of super validators yet, so it does not know which floor the name has.',
  status: 503,
} as const

async function floorEnded(
  c: AdminContext,
  ended: Promise<boolean> | undefined,
  { error, status }: typeof withoutFloor | typeof withoutRoster,
): Promise<Response> {
  if (ended === undefined) return c.json({ error: 'The rollback guard is off: guard.enabled is false.' }, 501)
  return (await ended) ? c.json({ ended: true }) : c.json({ error }, status)
}

function canBeName(name: string): boolean {
  return /^[^\s\p{C}]+$/u.test(name)
}

function logOf({ logger }: Admin): AdjustableLogger | undefined {
  return 'adjust' in logger ? (logger as AdjustableLogger) : undefined
}

function cordon({ scan }: Admin, c: Context<AdminEnv, '/cordon/:name'>): Response {
  const name = c.req.param('name')
  c.var.logEntry.about = { superValidator: name }
  const { cordon } = scan.connections
  const known = scan.discovery.roster?.membership.members.map((member) => member.name) ?? []
  if (!known.includes(name)) {
    const error = `No super validator of the roster is called ${JSON.stringify(name)}; known: ${known.join(', ')}.`
    return c.json({ error }, 404)
  }
  cordon.add(name)
  return c.json({ cordoned: cordon.names })
}

function takeBack({ scan }: Admin, c: Context<AdminEnv, '/cordon/:name'>): Response {
  const { cordon } = scan.connections
  const name = c.req.param('name')
  c.var.logEntry.about = { superValidator: name }
  if (!cordon.names.includes(name))
    return c.json({ error: `The super validator ${JSON.stringify(name)} is not set aside.` }, 404)
  cordon.remove(name)
  return c.json({ cordoned: cordon.names })
}

async function setLogLevel(admin: Admin, c: AdminContext): Promise<Response> {
  const log = logOf(admin)
  if (log === undefined) return c.json(withoutLog, 501)
  const { level } = parseObject(await readBytes(c.env.incoming, longestRequest))
  const known = logLevels.find((each) => each === level)
  if (known === undefined) {
    const error = `The body is no {"level": <one of ${logLevels.join(', ')}>}.`
    return c.json({ error }, 400)
  }
  c.var.logEntry.about = { logLevel: known, former: log.currentLevel() }
  // A quieter level takes effect only after this call is logged, so that the line about it is not
  // lost.
  c.var.logEntry.around = (write) => log.adjustAround({ level: known }, write)
  return c.json({ level: known })
}
