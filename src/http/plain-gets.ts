import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Served } from '../cache/answers.ts'
import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import { EndOfTurn } from '../lib/end-of-turn.ts'
import type { MissBudget } from './middleware/misses.ts'
import type { Problem } from './problem.ts'
import { formOf } from './projection.ts'
import { isPlainHost, type Question, type Understand } from './question.ts'
import { callerTraceOf } from './request.ts'
import type { Responder } from './respond.ts'
import type { Shortcut } from './server.ts'

export interface PlainGetsDeps {
  readonly understand: Understand
  readonly clock: Clock
  readonly responder: Responder
  readonly budget: MissBudget
  /** What a caller is told of an error; undefined where nobody is left to be told. */
  readonly refuse: (error: unknown, request: IncomingMessage, isGone: boolean) => Problem | undefined
}

/** One GET on its way. */
interface Exchange {
  readonly question: Question
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly began: Moment
}

/** nginx's word for a caller that left before its answer; nobody reads it. */
export const callerLeft = 499

/**
 * Answers a GET of a read ahead of the app: what is cached without waiting for anything but the end of this turn of the
 * event loop. It does nothing that the app would not have done; where it is not sure what is asked it answers nothing,
 * and the app decides.
 */
export function createPlainGets(deps: PlainGetsDeps): Shortcut {
  const { clock, understand } = deps
  const replies = new EndOfTurn()
  return (request, response) => {
    const { method, url = '', headers } = request
    if (method !== 'GET' || !isPlainHost(headers.host)) return false
    const question = tryTo(understand, url)
    if (question === undefined) return false
    const began = momentOf(clock)
    const exchange = { question, request, response, began }
    const served = question.lookup.peek(began)
    if (served === undefined) void load(exchange, replies, deps)
    else replies.add(() => reply(exchange, served, began, deps))
    return true
  }
}

async function load(exchange: Exchange, replies: EndOfTurn, deps: PlainGetsDeps): Promise<void> {
  const { question, request, response } = exchange
  const leaving = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) leaving.abort(new Error('the caller left'))
  })
  try {
    const address = request.socket.remoteAddress ?? ''
    const caller = callerTraceOf(request.headers)
    const served = await deps.budget.load(address, question.lookup, leaving.signal, caller)
    replies.add(() => reply(exchange, served, momentOf(deps.clock), deps))
  } catch (error) {
    fail(exchange, error, leaving.signal.aborted, deps)
  }
}

function reply(exchange: Exchange, served: Served, at: Moment, deps: PlainGetsDeps): void {
  const { question, request, response } = exchange
  try {
    const { mount, params } = question
    const form = formOf(mount.read, mount.surface, params, served)
    const { status, headers, body } = deps.responder.reply(form, served, request, at)
    response.writeHead(status, headers)
    response.end(body, 'latin1')
    tell(exchange, status, deps)
  } catch (error) {
    fail(exchange, error, false, deps)
  }
}

/** An answer that has begun is cut: nothing else can be said any more. */
function fail(exchange: Exchange, error: unknown, isGone: boolean, deps: PlainGetsDeps): void {
  const { request, response } = exchange
  const told = deps.refuse(error, request, isGone)
  if (response.headersSent) response.destroy()
  else if (told !== undefined) {
    response.writeHead(told.status, told.headers)
    response.end(told.body)
  }
  tell(exchange, told?.status ?? callerLeft, deps)
}

function tell({ question, began }: Exchange, status: number, { clock }: PlainGetsDeps): void {
  question.events.served('GET', status, (clock.now() - began.now) / 1000)
}

/** Bad params are the app's to refuse. */
function tryTo(understand: Understand, url: string): Question | undefined {
  try {
    return understand(url)
  } catch {
    return undefined
  }
}
