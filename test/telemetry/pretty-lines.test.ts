import { expect, test } from 'vitest'
import { prettyLines } from '../../src/base/telemetry/pretty-lines.pino-pretty.ts'

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

test('A line for people has no character of a scan that moves the cursor or turns the text round', () => {
  const line = { text: 'a\u001b[2J\u009b2Jb\u202ec', msg: 'x\u001b]0;owned\u0007' }
  expect(shown(line)).toBe('INFO: x\ufffd]0;owned\ufffd {"text":"a\ufffd[2J\ufffd2Jb\ufffdc"}\n')
})
