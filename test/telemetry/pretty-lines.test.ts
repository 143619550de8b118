import { expect, test } from 'vitest'
import { prettyLines } from '../../src/telemetry/pretty-lines.pino-pretty.ts'

function shown(fields: Readonly<Record<string, unknown>>): string {
  const written: string[] = []
  const time = '2026-01-02T03:04:05.678Z'
  const line = { level: 'info', time, service: 'bft-scan-proxy', version: '1.2.3', ...fields }
  prettyLines({ write: (text) => void written.push(text) }, false).write(`${JSON.stringify(line)}\n`)
  return written.join('').replace(/^\[2026-01-0\d \d\d:\d\d:\d\d\] /, '')
}

test('The last line for people says once how long the stop took and how many requests it cut', () => {
  const msg = 'stopped after 2 s, 20 requests cut'
  expect(shown({ seconds: 2, requestsCut: 20, msg })).toBe(`INFO: ${msg}\n`)
})

test('A line for people has its date, and seconds to the millisecond', () => {
  const line = { read: 'getDsoInfo', seconds: 0.0017384170000004815, msg: 'a read was agreed on' }
  expect(shown(line)).toBe('INFO: a read was agreed on {"read":"getDsoInfo","seconds":0.002}\n')
})
