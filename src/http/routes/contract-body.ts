import { z } from 'zod'

/** The schema of `Contract` in Splice's common-external.yaml. */
export const contractBody = z.object({
  template_id: z.string(),
  contract_id: z.string(),
  payload: z.object({}).loose(),
  created_event_blob: z.string(),
  created_at: z.string(),
})
