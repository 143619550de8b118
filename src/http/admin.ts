import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Cordon } from '../scan/cordon.ts'
import type { AdjustableLogger, Fields, Logger, LogLevel } from '../telemetry/logger.ts'
import { parseObject, readBytes } from './body.ts'

/**
 * The parts of a running daemon that an operator of the daemon changes by HTTP calls below `/admin` (admin
 * calls).
 */
export interface Admin {
  /** Deletes the cached answers about a name, in this daemon and in all daemons that share its Redis. */
  readonly flush: (name: string) => void
  /**
   * Removes floors of the rollback guard, which keeps answers from going back to an older version. Undefined
   * if `guard.enabled` is false.
   */
  readonly floors:
    | {
        /**
         * Removes the floor of a name if there is one, and resolves with true. Without a roster, removes
         * nothing and resolves with false, because the key of the floor depends on the roster.
         */
        readonly endOfName: (name: string) => Promise<boolean>
        /**
         * Removes the floor that is stored under a key, which an operator of the daemon finds in the log.
         * Resolves with false if there was no such floor.
         */
        readonly endKey: (key: string) => Promise<boolean>
      }
    | undefined
  readonly cordon: Pick<Cordon, 'add' | 'names' | 'remove'>
  readonly superValidators: () => readonly string[]
  /** Reads and changes the log level. Undefined if this process cannot change its log level. */
  readonly log: Pick<AdjustableLogger, 'adjust' | 'currentLevel' | 'isQuieter'> | undefined
  readonly logger: Logger
}

export type RefusedCall = (call: string, from: string | undefined) => void

interface Told {
  /** The fields that describe the admin call in its log line. */
  about: Fields
  /** A function that runs after the log line about the admin call is written. */
  afterLine: () => void
}

type Env = { Bindings: HttpBindings; Variables: { told: Told } }
type Call = Context<Env>

const longestBody = 4_096
const withoutLog = { error: 'This process cannot change its log.' }
const levels = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
] as const satisfies readonly LogLevel[]

/**
 * Serves the calls by which an operator of the daemon changes a running daemon. Logs each call that is not a
 * GET, with its status.
 * @param admin undefined if `operations.admin` is false. The daemon then rejects every call with 403.
 * @param refused called for each call that the daemon rejects because `operations.admin` is false.
 */
export function adminApp(admin: Admin | undefined, refused: RefusedCall): Hono<Env> {
  const app = new Hono<Env>()
  if (admin === undefined) {
    app.all('*', (c) => {
      refused(`${c.req.method} ${c.req.path}`, c.env.incoming.socket.remoteAddress)
      return c.json({ error: 'Admin calls are off: operations.admin is not true.' }, 403)
    })
    return app
  }
  app.use(async (c, next) => {
    const told: Told = { about: {}, afterLine: () => {} }
    c.set('told', told)
    await next()
    if (c.req.method === 'GET') return
    const { status } = c.res
    const from = c.env.incoming.socket.remoteAddress
    const fields = { call: `${c.req.method} ${c.req.path}`, ...told.about, status, from }
    admin.logger.warn(fields, status < 400 ? 'an operator makes an admin call' : 'an admin call was refused')
    told.afterLine()
  })
  app.delete('/cache/names/:name', (c) => {
    const name = c.req.param('name')
    c.var.told.about = { flushed: name }
    if (!canBeName(name))
      return c.json({ error: `${JSON.stringify(name)} cannot be a name: it is empty or has blanks.` }, 400)
    admin.flush(name)
    return c.json({ flushed: name })
  })
  app.delete('/floors/names/:name', (c) => {
    const name = c.req.param('name')
    c.var.told.about = { floorOfName: name }
    return floorEnded(c, admin.floors?.endOfName(name), withoutRoster)
  })
  app.delete('/floors/:key', (c) => {
    const key = c.req.param('key')
    c.var.told.about = { floor: key }
    return floorEnded(c, admin.floors?.endKey(key), withoutFloor)
  })
  app.put('/cordon/:name', (c) => cordon(admin, c))
  app.delete('/cordon/:name', (c) => takeBack(admin, c))
  app.get('/cordon', (c) => c.json({ cordoned: admin.cordon.names }))
  app.get('/log-level', (c) =>
    admin.log === undefined ? c.json(withoutLog, 501) : c.json({ level: admin.log.currentLevel() }),
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
  c: Call,
  ended: Promise<boolean> | undefined,
  { error, status }: typeof withoutFloor | typeof withoutRoster,
): Promise<Response> {
  if (ended === undefined) return c.json({ error: 'The rollback guard is off: guard.enabled is false.' }, 501)
  return (await ended) ? c.json({ ended: true }) : c.json({ error }, status)
}

/** Whether a string can be a name: it is not empty, and has no white space, control or format characters. */
function canBeName(name: string): boolean {
  return /^[^\s\p{C}]+$/u.test(name)
}

function cordon({ cordon, superValidators }: Admin, c: Context<Env, '/cordon/:name'>): Response {
  const name = c.req.param('name')
  c.var.told.about = { superValidator: name }
  const known = superValidators()
  if (!known.includes(name)) {
    const error = `No super validator of the roster is called ${JSON.stringify(name)}; known: ${known.join(', ')}.`
    return c.json({ error }, 404)
  }
  cordon.add(name)
  return c.json({ cordoned: cordon.names })
}

function takeBack({ cordon }: Admin, c: Context<Env, '/cordon/:name'>): Response {
  const name = c.req.param('name')
  c.var.told.about = { superValidator: name }
  if (!cordon.names.includes(name))
    return c.json({ error: `The super validator ${JSON.stringify(name)} is not set aside.` }, 404)
  cordon.remove(name)
  return c.json({ cordoned: cordon.names })
}

/**
 * Sets the log level that the request body names.
 * @throws SpliceError with status 400, 413 or 415, if the body cannot be read or is no JSON object.
 */
async function setLogLevel({ log }: Admin, c: Call): Promise<Response> {
  if (log === undefined) return c.json(withoutLog, 501)
  const { level } = parseObject(await readBytes(c.env.incoming, longestBody))
  const known = levels.find((each) => each === level)
  if (known === undefined) {
    const error = `The body is no {"level": <one of ${levels.join(', ')}>}.`
    return c.json({ error }, 400)
  }
  const { told } = c.var
  const former = log.currentLevel()
  told.about = { logLevel: known, former }
  const adjust = () => log.adjust({ level: known })
  // A quieter level takes effect only after the log line about this call is written. Any other level takes
  // effect at once. The log line is thus written if the old or the new level permits it.
  if (log.isQuieter(known)) told.afterLine = adjust
  else adjust()
  return c.json({ level: known })
}
