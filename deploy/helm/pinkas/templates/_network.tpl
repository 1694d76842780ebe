{{/* Name lookups, at the cluster's DNS. */}}
{{- define "pinkas.toNames" -}}
- to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: kube-system } } }]
  ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
{{- end }}

{{/* The labels of the servers of NATS, as its chart sets them. */}}
{{- define "pinkas.natsPods" -}}
{ app.kubernetes.io/name: nats, app.kubernetes.io/instance: {{ .Release.Name }}, app.kubernetes.io/component: nats }
{{- end }}

{{/* The pods of some components. Takes (dict "root" $ "parts" names). */}}
{{- define "pinkas.podsOf" -}}
- podSelector:
    matchLabels: { app.kubernetes.io/name: pinkas, app.kubernetes.io/instance: {{ .root.Release.Name }} }
    matchExpressions: [{ key: app.kubernetes.io/component, operator: In, values: {{ toJson .parts }} }]
{{- end }}

{{- define "pinkas.toNats" -}}
{{- if .Values.nats.enabled }}
- to: [{ podSelector: { matchLabels: {{ include "pinkas.natsPods" . }} } }]
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
