/**
 * Prints how a CI run went: the slowest test files, every test and step that failed, and last the counts alone on a
 * line.
 *
 *     node .ci/summary.ts <vitest's JSON report>... -- [step that failed]...
 *
 * Exits with 0 only if nothing failed. A skipped test and a missing report count as failures, because neither proves
 * anything.
 */
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

interface Report {
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly startTime: number
    readonly endTime: number
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

const slowest = 5

function main(paths: readonly string[], failedSteps: readonly string[]): number {
  const reports = paths.map((path) => ({ name: basename(path, '.json'), report: tryReport(path) }))
  const files = reports.flatMap(({ report }) => report?.testResults ?? [])
  for (const file of [...files].sort((a, b) => duration(b) - duration(a)).slice(0, slowest))
    say(`${(duration(file) / 1000).toFixed(1).padStart(6)} s  ${shown(file.name)}`)

  const failures = reports.flatMap(({ name, report }) => failuresIn(name, report))
  for (const failure of failures) say(failure)
  for (const step of failedSteps) say(`failed: ${step}`)
  // A step that runs tests fails whenever one of its tests fails. So the step is counted only if no test failed.
  const steps = failedSteps.filter((step) => !runsTests(step) || failures.length === 0)
  const failed = failures.length + steps.length
  const passed = files.flatMap((file) => file.assertionResults).filter(isPassed).length
  say(`${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0 ? 0 : 1
}

function failuresIn(name: string, report: Report | undefined): readonly string[] {
  if (report === undefined) return [`failed: ${name} has no report`]
  const failures = report.testResults.flatMap((file) => {
    if (file.status !== 'passed' && file.assertionResults.length === 0)
      return [`failed: ${shown(file.name)} does not run`]
    const others = file.assertionResults.filter((test) => !isPassed(test))
    return others.map(({ fullName, status }) => `${status}: ${shown(file.name)} > ${fullName}`)
  })
  return failures.length === 0 && !report.success ? [`failed: ${name}, beside its tests`] : failures
}

function runsTests(step: string): boolean {
  return /^npm (?:test|run test:)/.test(step)
}

function isPassed({ status }: { readonly status: string }): boolean {
  return status === 'passed'
}

function tryReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function duration({ startTime, endTime }: Report['testResults'][number]): number {
  return endTime - startTime
}

function shown(path: string): string {
  return relative(process.cwd(), path)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const given = process.argv.slice(2)
const end = given.indexOf('--')
process.exitCode = main(given.slice(0, end), given.slice(end + 1))
