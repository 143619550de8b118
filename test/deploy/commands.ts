import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import { top } from '../arch/sources.ts'
import type { Resource } from './kubernetes.ts'

/**
 * Resolves with the output of the command. Rejects if the command writes to standard error, where kubectl warns of
 * deprecated fields.
 */
export async function printed(command: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, args, { cwd: top, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0 || err !== '') throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

export function resourcesIn(manifests: string): readonly Resource[] {
  return parseAllDocuments(manifests)
    .map((document) => document.toJS())
    .filter((resource) => resource !== null)
}

export async function kustomized(folder: string): Promise<readonly Resource[]> {
  return resourcesIn(await printed('kubectl', ['kustomize', join(top, folder)]))
}

export function the(resources: readonly Resource[], kind: string, name?: string): Resource {
  const [found, ...more] = resources.filter(
    (resource) => resource.kind === kind && (name === undefined || resource.metadata.name === name),
  )
  if (found === undefined || more.length > 0)
    throw new Error(`${found === undefined ? 0 : more.length + 1} of ${kind}`)
  return found
}
