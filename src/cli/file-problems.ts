import { existsSync } from 'node:fs'
import type { Config } from '../config/resolve.ts'
import { optionAt } from '../config/rows.ts'
import { folderProblem } from '../lib/folder-problem.ts'
import { keyFileProblem } from './receipts.ts'

interface FileOption {
  readonly path: readonly [section: string, key: string]
  /** The file of this configuration. Undefined if it has none, or does not use it. */
  readonly file: (config: Config) => string | undefined
  /** What the daemon does if it cannot write the file. */
  readonly without: 'refuses' | { readonly but: string }
}

const fileOptions: readonly FileOption[] = [
  {
    path: ['guard', 'file'],
    file: ({ guard }) => (guard.enabled ? guard.file : undefined),
    without: 'refuses',
  },
  {
    path: ['receipts', 'keyFile'],
    // The folder of a key that exists may be read-only, such as that of a secret in Kubernetes.
    file: ({ receipts: { sign, keyFile } }) =>
      sign === 'off' || keyFile === undefined || existsSync(keyFile) ? undefined : keyFile,
    without: 'refuses',
  },
  {
    path: ['ledger', 'file'],
    file: ({ ledger }) => (ledger.driver === 'embedded' ? ledger.file : undefined),
    without: 'refuses',
  },
  {
    path: ['mirror', 'file'],
    file: ({ mirror }) => (mirror.level === 'off' ? undefined : mirror.file),
    without: { but: 'the daemon starts, and the mirror does not survive a restart' },
  },
  {
    path: ['scanClient', 'rosterFile'],
    file: ({ scanClient }) => scanClient.rosterFile,
    without: { but: 'the daemon starts, and each start has to ask the seeds' },
  },
]

export interface FileFindings {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Finds the files that the daemon could not read or write when it starts. Nothing is created or changed. */
export async function fileProblems(config: Config): Promise<FileFindings> {
  const keyProblem = await keyFileProblem(config)
  const problems = keyProblem === undefined ? [] : [keyProblem]
  const warnings: string[] = []
  for (const { path, file: fileIn, without } of fileOptions) {
    const file = fileIn(config)
    const why = file === undefined ? undefined : folderProblem(file)
    if (why === undefined) continue
    const text = `${nameOf(path)} cannot be used: ${why}`
    if (without === 'refuses') problems.push(text)
    else warnings.push(`${text}; ${without.but}`)
  }
  return { problems, warnings }
}

function nameOf(path: FileOption['path']): string {
  const variable = optionAt(path)?.env
  return variable === undefined ? path.join('.') : `${path.join('.')} (${variable})`
}
