{{/* Looking up names, in the cluster's own service. */}}
{{- define "pinkas.toNames" -}}
- to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: kube-system } } }]
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end }}

{{- define "pinkas.toNats" -}}
{{- if .Values.nats.enabled }}
- to: [{ podSelector: { matchLabels: { app.kubernetes.io/name: nats, app.kubernetes.io/instance: {{ .Release.Name }} } } }]
  ports: [{ port: {{ .Values.messaging.port }} }]
{{- else if .Values.messaging.externalCidr }}
- to: [{ ipBlock: { cidr: {{ .Values.messaging.externalCidr }} } }]
  ports: [{ port: {{ .Values.messaging.port }} }]
{{- end }}
{{- end }}

{{- define "pinkas.toPostgres" -}}
{{- if .Values.postgres.enabled }}
- to: [{ podSelector: { matchLabels: { cnpg.io/cluster: pinkas-postgres } } }]
  ports: [{ port: {{ .Values.postgres.port }} }]
{{- else if .Values.postgres.externalCidr }}
- to: [{ ipBlock: { cidr: {{ .Values.postgres.externalCidr }} } }]
  ports: [{ port: {{ .Values.postgres.port }} }]
{{- end }}
{{- end }}
