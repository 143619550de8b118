import { writeFile } from 'node:fs/promises'
import type { LoadConfigOptions } from '../base/config/load.ts'
import { milliseconds } from '../base/lib/clock.ts'
import { checkedAddress } from '../client/address.ts'
import { type AskedReceipt, askForReceipt, listedKeys } from '../client/receipts/ask-for-receipt.ts'
import {
  ClientError,
  lookupQuestion,
  printReceipt,
  type ReceiptVerdict,
  type SavedReceipt,
  verifyReceipt,
} from '../client/receipts/receipts.ts'
import { exitCodes } from './exit-codes.ts'
import type { Chosen } from './options.ts'
import { misused, type Print, printJson } from './print.ts'
import { toldConfig } from './read-config.ts'
import { httpUrl } from './running-daemon.ts'
import { verifiedLines } from './verified-lines.ts'

export interface ReceiptLookupArguments extends Chosen<'daemon' | 'live' | 'json'> {
  readonly what: string
  readonly file: string
}

const timeoutMs = milliseconds('20s')

export async function lookupReceipt(
  given: ReceiptLookupArguments,
  print: Print,
  options: LoadConfigOptions,
): Promise<number> {
  const base = addressOf(given.daemon, print, options)
  if (typeof base === 'number') return base
  const asked = await askForReceipt({
    base,
    question: lookupQuestion(given.what),
    headers: given.live ? { 'x-bft-live': '?1' } : {},
    timeoutMs,
  })
  if (asked.kind === 'none') return noReceipt(asked, print)
  const keys = await listedKeys({ base, timeoutMs })
  if (keys.length === 0) {
    print.err(`The receipt of ${base} is not saved, because ${base} lists no keys.`)
    return exitCodes.failed
  }
  const receipt: SavedReceipt = { ...asked.receipt, keys }
  const pins = keys.map((key) => ({ name: base, key }))
  const verdict = await verifyReceipt(receipt, { pins, question: receipt.request, current: true })
  return save({ ...given, base }, { receipt, verdict }, print)
}

async function save(
  { file, base, json }: ReceiptLookupArguments & { readonly base: string },
  { receipt, verdict }: { readonly receipt: SavedReceipt; readonly verdict: ReceiptVerdict },
  print: Print,
): Promise<number> {
  if (verdict.kind === 'refused') {
    print.err(
      `The receipt of ${base} is not saved: checked by the keys that ${base} lists, it does not verify. ${verdict.says}`,
    )
    return exitCodes.failed
  }
  try {
    await writeFile(file, printReceipt(receipt))
  } catch (error) {
    print.err(`${file} cannot be written: ${(error as Error).message}`)
    return exitCodes.failed
  }
  const [{ keyid, status }] = verdict.statements
  if (json) printJson(print, { ...verdict, file })
  else for (const line of verifiedLines(verdict, 1)) print.out(line)
  print.err(
    `${file} has the receipt. Ask the daemon's owner whether ${keyid} is its key: only that makes it worth anything.`,
  )
  return status === 200 ? exitCodes.ok : exitCodes.absent
}

function noReceipt({ status, says }: Extract<AskedReceipt, { kind: 'none' }>, print: Print): number {
  const isAnswer = status === 200 || status === 404
  const why = 'it has no key (receipts.keyFile, RECEIPTS_KEY_FILE), or receipts.sign is off'
  print.err(isAnswer ? `${says}: ${why}` : says)
  return exitCodes.unavailable
}

function addressOf(given: string | undefined, print: Print, options: LoadConfigOptions): string | number {
  const config = given === undefined ? toldConfig(print, options) : undefined
  if (given === undefined && config === undefined) return exitCodes.badConfig
  try {
    return checkedAddress(config === undefined ? given : httpUrl(config))
  } catch (error) {
    if (error instanceof ClientError) return misused(print, error.message)
    throw error
  }
}
