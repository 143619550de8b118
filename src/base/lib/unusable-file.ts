import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { requireRegularFile } from './regular-file.ts'

/**
 * Returns the reason why a file cannot be used. Files are written under a temporary name first. An
 * operator does not know that name, so the reason contains the final name.
 */
export function whyUnusable(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return message
  return folderProblem(file) ?? `${message.replace(/,[^,]*$/, '')}: ${file}`
}

/** Also true of a limit on the size of files, or of a quota. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '')
}

export function folderProblem(path: string): string | undefined {
  const folder = dirname(path)
  try {
    requireRegularFile(path)
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder`
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return `there is no folder ${folder}`
    if (code === 'ENOTDIR') return `a part of ${folder} is not a folder`
    return code === undefined ? message : `the folder ${folder} cannot be written (${code})`
  }
}
