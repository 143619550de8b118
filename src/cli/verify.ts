import { basename, extname } from 'node:path'
import { MisshapenJson, parseJson } from '../base/lib/canonical-json.ts'
import { tryMilliseconds } from '../base/lib/clock.ts'
import { questionAbout } from '../client/receipts/lookup-with-receipts.ts'
import { keysIn } from '../client/receipts/pins.ts'
import {
  BadPin,
  MalformedReceipt,
  parseReceipt,
  type ReceiptJwk,
  type ReceiptPin,
  type ReceiptVerdict,
  type SavedReceipt,
  verifyReceipt,
} from '../client/receipts/receipts.ts'
import { tryInstant } from '../server/http/since.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson } from './print.ts'
import { readGiven } from './read-given.ts'
import { verifiedLines } from './verified-lines.ts'

export interface VerifyArguments {
  readonly files: readonly string[]
  readonly key: readonly string[]
  readonly owners: string | undefined
  /**
   * The name or party that the receipts must be about. If undefined, all receipts must answer the
   * question in the first file.
   */
  readonly question: string | undefined
  readonly at: string | undefined
  readonly 'max-age': string | undefined
  readonly least: string | undefined
  readonly roster: readonly string[]
  readonly current: boolean
  readonly json: boolean
}

export async function verify(given: VerifyArguments, print: Print): Promise<number> {
  try {
    const pins = (await Promise.all(given.key.map(pinsOf))).flat()
    const receipts = await Promise.all(given.files.map(receiptIn))
    return tell(await verdictOn(receipts, pins, given), given, print)
  } catch (error) {
    if (error instanceof BadPin || error instanceof UnusableArgument) return misused(print, error.message)
    throw error
  }
}

class UnusableArgument extends Error {}

async function receiptIn(file: string): Promise<SavedReceipt> {
  const text = await readGiven(file).catch((error: Error) => {
    throw new UnusableArgument(`${file} cannot be read: ${error.message}.`)
  })
  try {
    return parseReceipt(text.toString())
  } catch (error) {
    if (error instanceof MalformedReceipt)
      throw new UnusableArgument(`${file} is no receipt: ${error.message}.`)
    throw error
  }
}

function verdictOn(
  receipts: readonly SavedReceipt[],
  pins: readonly ReceiptPin[],
  { question, owners, 'max-age': maxAge, least, at, roster }: VerifyArguments,
): Promise<ReceiptVerdict> {
  const [first] = receipts as [SavedReceipt]
  const time = at === undefined ? undefined : timeIn(at)
  return verifyReceipt(receipts, {
    pins,
    question: question === undefined ? first.request : questionAbout(question, first.request),
    k: owners === undefined ? 1 : countIn('--owners', owners),
    threshold: least === undefined ? 1 : countIn('--least', least),
    ...(time && { now: time }),
    ...(maxAge !== undefined && { maxAgeSeconds: secondsIn(maxAge) }),
    ...(roster.length > 0 && { rosters: roster }),
  })
}

function timeIn(text: string): Date {
  const at = tryInstant(text)
  if (at !== undefined && at >= 0) return new Date(at)
  throw new UnusableArgument(`--at must be a time such as 2026-11-22T12:00:00Z, not ${text}.`)
}

function secondsIn(text: string): number {
  const ms = tryMilliseconds(text)
  if (ms !== undefined) return ms / 1000
  throw new UnusableArgument(`--max-age must be a duration such as 3h, not ${text}.`)
}

function countIn(option: string, text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new UnusableArgument(`${option} must be a whole number from 1, not ${text}.`)
}

const localnetHint =
  "To verify it as of the daemon's time, such as that of a localnet, say that time by --at."

function tell(verdict: ReceiptVerdict, given: VerifyArguments, print: Print): number {
  const { files, question, json, current } = given
  const isRefused = verdict.kind === 'refused'
  if (json) printJson(print, verdict)
  else if (isRefused) print.err(verdict.says)
  else for (const line of verifiedLines(verdict, files.length)) print.out(line)
  if (!json && isRefused && verdict.reason === 'fromTheFuture') print.err(localnetHint)
  const isAsked = question !== undefined || json || isRefused
  if (!isAsked) print.err('warning: check that this is your question, or say it by --question.')
  if (isRefused) return exitCodes.failed
  return current && verdict.kind === 'provedThen' ? exitCodes.notCurrent : exitCodes.ok
}

/**
 * Parses `[NAME=]KEY`. KEY is the id of a key, or a file with a JWK or with the key directory of a
 * daemon. All keys in one file count as keys of one owner.
 */
async function pinsOf(text: string): Promise<readonly ReceiptPin[]> {
  const [, name, key = text] = /^([^=/]+)=(.+)$/.exec(text) ?? []
  if (/^[\w-]{43}$/.test(key)) return [{ name: name ?? key.slice(0, 8), key }]
  const keys = await keysOf(key)
  if (keys.length === 0)
    throw new UnusableArgument(
      `${key} has no public key of Ed25519 as a JWK; the keys in a receipt do not count.`,
    )
  const shown = name ?? basename(key, extname(key))
  return keys.map((jwk) => ({ name: shown, owner: name ?? key, key: jwk }))
}

async function keysOf(file: string): Promise<readonly ReceiptJwk[]> {
  try {
    return keysIn(parseJson(await readGiven(file)))
  } catch (error) {
    if (error instanceof MisshapenJson) throw new UnusableArgument(`${file} is no JSON: ${error.message}.`)
    throw new UnusableArgument(
      `${file} is neither the id of a key, which has 43 characters, nor a file that can be read: ${(error as Error).message}.`,
    )
  }
}
