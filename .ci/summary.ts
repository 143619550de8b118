/**
 * Says how a run went: the slowest test files, every test and step that failed, and last the counts alone on a line.
 *
 *     node .ci/summary.ts <vitest's JSON report> [step that failed]...
 *
 * Exits with 0 only if nothing failed. A test that was skipped counts as failed: it proves nothing.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

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

function main(reportPath: string, failedSteps: readonly string[]): number {
  const report = tryReport(reportPath)
  const files = report?.testResults ?? []
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })))
  const passed = tests.filter(({ status }) => status === 'passed')
  const others = tests.filter(({ status }) => status !== 'passed')
  const broken = files.filter((file) => file.status !== 'passed' && file.assertionResults.length === 0)

  for (const file of [...files].sort((a, b) => duration(b) - duration(a)).slice(0, slowest))
    say(`${(duration(file) / 1000).toFixed(1).padStart(6)} s  ${shown(file.name)}`)
  for (const { file, fullName, status } of others) say(`${status}: ${shown(file)} > ${fullName}`)
  for (const { name } of broken) say(`failed: ${shown(name)} does not run`)
  for (const step of failedSteps) say(`failed: ${step}`)

  // The step that runs the tests fails with them, and is counted only where no test says why.
  const steps = failedSteps.filter(
    (step) => !step.startsWith('npm test') || others.length + broken.length === 0,
  )
  const failed = others.length + broken.length + steps.length
  say(`${passed.length} passed, ${failed} failed`)
  return failed === 0 && passed.length > 0 ? 0 : 1
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

const [reportPath = '', ...failedSteps] = process.argv.slice(2)
process.exitCode = main(reportPath, failedSteps)
